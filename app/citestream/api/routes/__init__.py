"""The routes, one file a noun: which call a request makes, and what its answer looks like.

A route reads the request, calls the service and answers; it holds no rule of the domain.
"""
