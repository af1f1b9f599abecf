// openapi-generator, typescript-fetch. Prints what each call gave.
import { AnswersApi, Configuration, TurnsApi } from "./typescript-fetch";
import { AnswerBodyFromJSON, CreateTurnBodyFromJSON, PushBodyFromJSON } from "./typescript-fetch";

declare const process: { argv: string[] };
const [url, body, create, push] = process.argv.slice(2);

async function main(): Promise<void> {
  const configuration = new Configuration({ basePath: url });
  const answers = new AnswersApi(configuration);
  const turns = new TurnsApi(configuration);
  const answerBody = AnswerBodyFromJSON(JSON.parse(body));
  const answer = await answers.extract({ answerBody });
  const offset: number | undefined = answer.citations[0]?.offset;
  const raw = await answers.streamRaw({ answerBody });
  const text = await raw.raw.text();
  const turn = await turns.turnsCreate({ createTurnBody: CreateTurnBodyFromJSON(JSON.parse(create)) });
  const pushBody = PushBodyFromJSON(JSON.parse(push));
  const pushed = await turns.turnsPush({ turnId: turn.id, pushBody });
  const next: number = pushed.next;
  console.log(JSON.stringify({ extract: offset, stream: text.split("\nevent: ").length - 1, push: next }));
}

void main();
