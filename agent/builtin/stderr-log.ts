/** The built-in agent's log: the session agent reads its standard error, line by line, into the session's log. */
export function logLine(sentence: string): void {
	console.error(sentence);
}
