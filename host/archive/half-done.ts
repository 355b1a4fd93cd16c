/** The ends of a restore that fails when it has changed something: they say what a person does next. */
import { ArchiveError } from "./archive-format.ts";

const remedy = "No platform starts on half of the data; run the same command again, with --force";

/** Another command has the store since this one stalled; what that one leaves there is whole, or it says so itself. */
export class TakenOverError extends ArchiveError {
	constructor() {
		super(
			"Another restore or import has taken over this store, because this one had stalled; it ends and writes nothing more",
		);
	}
}

/** Does what leaves half of the data when it fails; then its error says so. */
export async function orSayHalfDone(work: () => Promise<void>): Promise<void> {
	try {
		await work();
	} catch (error) {
		if (error instanceof Error && !(error instanceof TakenOverError)) error.message += `. ${remedy}`;
		throw error;
	}
}
