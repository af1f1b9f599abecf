// orval, its fetch client. Prints what each call gave.
import { extract, stream, turnsCreate, turnsPush } from "./orval";

declare const process: { argv: string[] };
const [url, body, create, push] = process.argv.slice(2);

async function main(): Promise<void> {
  const plain = globalThis.fetch;
  globalThis.fetch = (input, init) => plain(`${url}${String(input)}`, init);
  const answer = await extract(JSON.parse(body));
  const offset: number | undefined = answer.status === 200 ? answer.data.citations[0]?.offset : undefined;
  const streamed = await stream(JSON.parse(body)).then((one) => one.status, () => 0);
  const turn = await turnsCreate(JSON.parse(create));
  const id = turn.status === 201 ? turn.data.id : "";
  const pushed = await turnsPush(id, JSON.parse(push));
  const next: number | undefined = pushed.status === 200 ? pushed.data.next : undefined;
  console.log(JSON.stringify({ extract: offset, stream: streamed === 200 ? 0 : -1, push: next }));
}

void main();
