// openapi-typescript with openapi-fetch. Prints what each call gave.
import createClient from "openapi-fetch";
import type { paths } from "./openapi-typescript";

declare const process: { argv: string[] };
const [url, body, create, push] = process.argv.slice(2);

async function main(): Promise<void> {
  const client = createClient<paths>({ baseUrl: url });
  const answer = await client.POST("/v1/extract", { body: JSON.parse(body) });
  const stream = await client.POST("/v1/stream", { body: JSON.parse(body), parseAs: "stream" });
  const text = await new Response(stream.data).text();
  const turn = await client.POST("/v1/turns", { body: JSON.parse(create) });
  const turn_id = turn.data?.id ?? "";
  const pushed = await client.POST("/v1/turns/{turn_id}/input", {
    params: { path: { turn_id } },
    body: JSON.parse(push),
  });
  const offset: number | undefined = answer.data?.citations[0]?.offset;
  const next: number | undefined = pushed.data?.next;
  console.log(JSON.stringify({ extract: offset, stream: text.split("\nevent: ").length - 1, push: next }));
}

void main();
