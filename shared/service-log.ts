/** Where a service says what an operator should know. The broker's logger is one: lines with time, level and service. */
export interface ServiceLog {
	/** @param sentence What does not work. @param cause Why, as it was thrown. */
	error(sentence: string, cause: unknown): void;
}
