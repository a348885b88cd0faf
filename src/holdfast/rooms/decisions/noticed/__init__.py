"""What was noticed about decisions and the code: forks, and features that are not there."""
