// hey-api. Prints what each call gave.
import { extract, stream, turnsCreate, turnsPush, type StreamEvent } from "./typescript";
import { client } from "./typescript/client.gen";

declare const process: { argv: string[] };
const [url, body, create, push] = process.argv.slice(2);

async function main(): Promise<void> {
  client.setConfig({ baseUrl: url });
  const answer = await extract({ body: JSON.parse(body), throwOnError: true });
  const offset: number | undefined = answer.data.citations[0]?.offset;
  const events: StreamEvent[] = [];
  const { stream: told } = await stream({ body: JSON.parse(body), sseMaxRetryAttempts: 1 });
  for await (const event of told) events.push(event);
  const turn = await turnsCreate({ body: JSON.parse(create), throwOnError: true });
  const path = { turn_id: turn.data.id };
  const pushed = await turnsPush({ path, body: JSON.parse(push), throwOnError: true });
  const next: number = pushed.data.next;
  console.log(JSON.stringify({ extract: offset, stream: events.length, push: next }));
}

void main();
