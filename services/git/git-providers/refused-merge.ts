/** Explains why a provider did not merge. Pure. */
import { ConflictError } from "#shared/base/errors.ts";
import { pullConflict, pullHeadMoved, pullNotMergeable } from "../providers/git-provider.ts";

interface RefusedMerge {
	readonly head: string;
	readonly expected: string;
	readonly hasConflict: boolean;
	/** The provider's own reason, as the end of a sentence. */
	readonly reason: string;
}

export function refusedMerge(product: string, { head, expected, hasConflict, reason }: RefusedMerge): ConflictError {
	if (head !== expected)
		return new ConflictError(
			`The source branch has newer commits than ${expected.slice(0, 12)}; its end is ${head.slice(0, 12)}`,
			pullHeadMoved,
			{ head_sha: head },
		);
	if (hasConflict)
		return new ConflictError("The branches conflict; resolve the conflicts in the source branch first", pullConflict);
	return new ConflictError(`${product} does not allow the merge${reason}`, pullNotMergeable);
}
