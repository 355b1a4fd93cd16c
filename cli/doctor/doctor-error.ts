/** The platform could not do something that the proof of access needs. */
export class DoctorError extends Error {
	override readonly name = "DoctorError";
	/** The HTTP status of the answer; undefined when no answer was wrong. */
	readonly status: number | undefined;

	constructor(message: string, status?: number) {
		super(message);
		this.status = status;
	}
}
