"""openapi-python-client. Prints what each call gave."""

import json
import sys

from citestream_client import Client
from citestream_client.api.answers import extract
from citestream_client.api.turns import turns_create, turns_push
from citestream_client.events import stream_events
from citestream_client.models import (
    Answer,
    AnswerBody,
    CreatedTurn,
    CreateTurnBody,
    PushAnswer,
    PushBody,
)

url, body, create, push = sys.argv[1:]
with Client(url) as client:
    given = AnswerBody.from_dict(json.loads(body))
    answer = extract.sync(client=client, body=given)
    assert isinstance(answer, Answer)
    events = list(stream_events(client, given))
    turn = turns_create.sync(client=client, body=CreateTurnBody.from_dict(json.loads(create)))
    assert isinstance(turn, CreatedTurn)
    pushed = turns_push.sync(turn.id, client=client, body=PushBody.from_dict(json.loads(push)))
    assert isinstance(pushed, PushAnswer)
    told = {"extract": answer.citations[0].offset, "stream": len(events), "push": pushed.next_}
    print(json.dumps(told))
