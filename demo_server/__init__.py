"""The demo: a chat whose model writes its tool calls into its text, guarded, with a workspace that they change.

    python -m demo_server --open

    page/ (the browser) -> app.py (routes) -> chats.py -> models.py (who answers)
                                                       -> ResumableStreams (guards, stores, resumes)
                                                       -> workspace.py (files), history.py (SQLite)

It is meant to be copied: it depends on nothing here that is not in the packages.
"""
