/** Returns the body of `/health` as JSON. @param shortcomings Sentences about guarantees that this process cannot give. */
export function healthText(shortcomings: readonly string[]): string {
	return JSON.stringify({ status: "healthy", ...(shortcomings.length > 0 && { shortcomings }) });
}
