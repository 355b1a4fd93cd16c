/** The end of a failure that leaves half of the data: it says what a person does next. */

const remedy = "No platform starts on half of the data; run the same command again, with --force";

/** Does what leaves half of the data when it fails; then its error says so. */
export async function orSayHalfDone(work: () => Promise<void>): Promise<void> {
	try {
		await work();
	} catch (error) {
		if (error instanceof Error) error.message += `. ${remedy}`;
		throw error;
	}
}
