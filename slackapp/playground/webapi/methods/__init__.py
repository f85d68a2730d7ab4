"""The Web API's methods, by what they are about; `table` lists them all."""
