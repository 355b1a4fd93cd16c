/** An error answer of the pod's server: its HTTP status, a stable type, and a sentence for the caller. */
import {
	PermissionAnswerError,
	PermissionClosedError,
	UnknownPermissionError,
} from "../coding-agents/permission-errors.ts";
import {
	DiffBusyError,
	DiffFailedError,
	DiffQuestionError,
	DiffTimeoutError,
	NoRepositoryError,
} from "../workspace/diff/diff-errors.ts";
import {
	BranchMovedError,
	CommitFailedError,
	PushRefusedError,
	PushTimeoutError,
	UnknownRepositoryError,
	WorkUnderWayError,
} from "../workspace/publish/publish-errors.ts";

export class RequestError extends Error {
	override readonly name = "RequestError";
	readonly status: number;
	readonly type: string;

	constructor(status: number, message: string, type = "REQUEST_REFUSED", options?: ErrorOptions) {
		super(message, options);
		this.status = status;
		this.type = type;
	}
}

/** The HTTP form of the errors of the pod's modules. An error that is not listed is a fault of the session agent. */
const answers: readonly (readonly [kind: new (message: string) => Error, status: number, type: string])[] = [
	[UnknownPermissionError, 404, "PERMISSION_NOT_FOUND"],
	[PermissionClosedError, 409, "PERMISSION_ANSWERED"],
	[PermissionAnswerError, 400, "PERMISSION_ANSWER"],
	[DiffQuestionError, 400, "DIFF_QUESTION"],
	[NoRepositoryError, 502, "NO_REPOSITORY"],
	[DiffFailedError, 502, "DIFF_FAILED"],
	[DiffBusyError, 503, "DIFF_BUSY"],
	[DiffTimeoutError, 504, "DIFF_TIMEOUT"],
	[UnknownRepositoryError, 404, "REPOSITORY_UNKNOWN"],
	[WorkUnderWayError, 409, "TURN_UNDER_WAY"],
	[CommitFailedError, 409, "COMMIT_FAILED"],
	[BranchMovedError, 409, "PULL_BRANCH_MOVED"],
	[PushRefusedError, 502, "PUSH_REFUSED"],
	[PushTimeoutError, 504, "PUSH_TIMEOUT"],
];

/** Returns undefined for an error that no caller may see. */
export function requestErrorOf(error: unknown): RequestError | undefined {
	if (error instanceof RequestError) return error;
	const [, status, type] = answers.find(([kind]) => error instanceof kind) ?? [];
	if (!(error instanceof Error) || status === undefined) return undefined;
	return new RequestError(status, error.message, type, { cause: error });
}
