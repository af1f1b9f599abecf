from citestream.targets import TargetInputError


def test_error_names_the_field_and_what_is_wrong() -> None:
    error = TargetInputError("calls[0].tool", "must be a string")
    assert str(error) == "calls[0].tool must be a string"
    assert (error.field, error.problem) == ("calls[0].tool", "must be a string")
