/** The log of a service for operators. The broker's logger implements it: its lines have time, level and service. */
export interface ServiceLog {
	/** Logs a failure. @param sentence The sentence about what does not work. @param cause The thrown reason. */
	error(sentence: string, cause: unknown): void;
}
