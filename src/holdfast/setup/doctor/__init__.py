"""Whether Holdfast works here. The doctor tries it out.

A check is a function that looks and answers with findings; `CHECKS` is all of them. A finding
says how things stand, and carries the act that mends it where that can be done safely. The probe
runs the very hook command that is installed and reads its entry back from the store.

Law: "well" is said only of what was looked at. What was not looked at is said too.
"""
