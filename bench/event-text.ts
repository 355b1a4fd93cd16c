/** The data of one event: when it was made, and about as much as an activity says. */
const padding = "x".repeat(100);

export function eventText(): string {
	return `{"at":${process.hrtime.bigint()},"session":"${padding}"}`;
}
