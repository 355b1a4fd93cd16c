/** A request to the pod that is answered with an error: its HTTP status, and a sentence for the caller. */

export class RequestError extends Error {
	override readonly name = "RequestError";
	readonly status: number;

	constructor(status: number, message: string) {
		super(message);
		this.status = status;
	}
}
