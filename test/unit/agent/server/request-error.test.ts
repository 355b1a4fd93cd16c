import { expect } from "chai";
import { RequestError, requestErrorOf } from "#agent/server/request-error.ts";
import * as permissionErrors from "#agent/coding-agents/permission-errors.ts";
import * as diffErrors from "#agent/workspace/diff/diff-errors.ts";

const { UnknownPermissionError, PermissionClosedError, PermissionAnswerError } = permissionErrors;
const { DiffQuestionError, NoRepositoryError, DiffFailedError, DiffBusyError, DiffTimeoutError } = diffErrors;

describe("requestErrorOf()", () => {
	for (const [Kind, status, type] of [
		[UnknownPermissionError, 404, "PERMISSION_NOT_FOUND"],
		[PermissionClosedError, 409, "PERMISSION_ANSWERED"],
		[PermissionAnswerError, 400, "PERMISSION_ANSWER"],
		[DiffQuestionError, 400, "DIFF_QUESTION"],
		[NoRepositoryError, 502, "NO_REPOSITORY"],
		[DiffFailedError, 502, "DIFF_FAILED"],
		[DiffBusyError, 503, "DIFF_BUSY"],
		[DiffTimeoutError, 504, "DIFF_TIMEOUT"],
	] as const) {
		it(`makes ${status} ${type} of a ${Kind.name}, with its sentence`, () => {
			const answer = requestErrorOf(new Kind("Why not"));
			expect(answer).to.include({ status, type, message: "Why not" });
		});
	}

	it("has a row for every error of the agent's modules", () => {
		for (const Kind of [...Object.values(permissionErrors), ...Object.values(diffErrors)])
			expect(requestErrorOf(new Kind("x")), Kind.name).to.be.instanceOf(RequestError);
	});

	it("keeps an error answer, and has none for other errors", () => {
		const own = new RequestError(413, "Too long");
		expect(requestErrorOf(own)).to.equal(own);
		expect(requestErrorOf(new Error("secret"))).to.equal(undefined);
		expect(requestErrorOf("secret")).to.equal(undefined);
	});
});
