// A program against the generated client: what it prints is compared with what the service says.

import { extract, stream, type AnswerBody, type Problem, type StreamEvent } from "./typescript";
import { client } from "./typescript/client.gen";

declare const process: { argv: string[] };

function textOf(event: StreamEvent): string {
  switch (event.type) {
    case "delta":
      return event.text;
    case "error":
      return event.error.detail;
    case "citation":
    case "citations_summary":
    case "custom":
    case "registered":
    case "source":
    case "artifact":
      return "";
  }
  // The compiler knows every kind of event: nothing is left here.
  return event satisfies never;
}

async function main(): Promise<void> {
  client.setConfig({ baseUrl: process.argv[2] });
  const body: AnswerBody = JSON.parse(process.argv[3]);

  const answer = await extract({ body, throwOnError: true });
  const events: StreamEvent[] = [];
  const { stream: told } = await stream({ body, sseMaxRetryAttempts: 1 });
  for await (const event of told) events.push(event);
  const refused = await extract({ body: { parts: [], text: "", deltas: [] } });
  const problem: Problem | undefined = refused.error;
  const text = events.map(textOf).join("");

  console.log(JSON.stringify({ answer: answer.data, events, problem, text }));
}

void main();
