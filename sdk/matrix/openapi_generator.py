"""openapi-generator, python. Prints what each call gave."""

import json
import sys

from citestream_og import (
    AnswerBody,
    AnswersApi,
    ApiClient,
    Configuration,
    CreateTurnBody,
    PushBody,
    TurnsApi,
)

url, body, create, push = sys.argv[1:]
with ApiClient(Configuration(host=url)) as client:
    answers, turns = AnswersApi(client), TurnsApi(client)
    given = AnswerBody.from_dict(json.loads(body))
    assert given
    answer = answers.extract(given)
    text = answers.stream_without_preload_content(given).read().decode()
    made = CreateTurnBody.from_dict(json.loads(create))
    pushes = PushBody.from_dict(json.loads(push))
    assert made
    assert pushes
    turn = turns.turns_create(made)
    pushed = turns.turns_push(turn.id, pushes)
    told = {
        "extract": answer.citations[0].offset,
        "stream": text.count("\nevent: "),
        "push": pushed.next,
    }
    print(json.dumps(told))
