/** Makes the data of one event: its time, and about as much text as an activity has. */
const padding = "x".repeat(100);

export function eventText(): string {
	return `{"at":${process.hrtime.bigint()},"session":"${padding}"}`;
}
