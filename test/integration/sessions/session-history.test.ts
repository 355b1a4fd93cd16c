/** The reports of pods over the bus and a real store, and the answers from them without a pod. */
import { expect } from "chai";
import type { Principal } from "#shared/base/principal.ts";
import { history, type SentHistoryReport } from "#shared/contracts/sessions/history.ts";
import { sessionWork } from "#shared/contracts/sessions/session-work.ts";
import { sessions } from "#shared/contracts/sessions/sessions.ts";
import {
	BadRequestError,
	ConflictError,
	ForbiddenError,
	NotFoundError,
	UnprocessableError,
	UpstreamError,
} from "#shared/base/errors.ts";
import { describeSessions } from "../../support/platform/describe-sessions.ts";
import { FakePod } from "../../support/pods/fake-pod.ts";
import { failureOf } from "../../support/failure-of.ts";
import { bob, callAs, job } from "../../support/bus/test-brokers.ts";

const { logs, conversation, diff } = sessions.actions;

const patch = `diff --git a/README.md b/README.md
index 1..2 100644
--- a/README.md
+++ b/README.md
@@ -1 +1,2 @@
 hello
+two
diff --git "a/t\\303\\244.txt" "b/t\\303\\244.txt"
new file mode 100644
index 0..1
--- /dev/null
+++ "b/t\\303\\244.txt"
@@ -0,0 +1 @@
+one
diff --git a/gone b/gone
deleted file mode 100644
index 1..0
--- a/gone
+++ /dev/null
@@ -1,2 +0,0 @@
-a
-b
diff --git a/picture b/picture
new file mode 100755
index 0..1
Binary files /dev/null and b/picture differ
`;

function line(level: string, message: string) {
	return { timestamp: 1.5, level, logger: "test", message };
}

function turn(id: string, content = id) {
	return { id, role: "user" as const, content, parts: [], created_at: "2026-11-20T20:00:00.000Z", metadata: {} };
}

describeSessions("session history", (testbed) => {
	function report(id: string, generation: number, sent: SentHistoryReport): Promise<void> {
		const pod: Principal = { kind: "pod", id, tenant: "", roles: [], generation };
		return callAs(testbed.near, pod, history.actions.report, { session_id: id, ...sent });
	}

	/** Makes a session that ran, reported `sent`, and stopped. */
	async function told(sent: SentHistoryReport): Promise<{ session_id: string }> {
		const { id } = await testbed.ada.running();
		await report(id, 1, sent);
		await testbed.ada.stop(id);
		return { session_id: id };
	}

	it("answers logs from it, the newest lines of a level", async () => {
		const session = await told({ n: 1, logs: [line("DEBUG", "a"), line("ERROR", "b"), line("INFO", "c")] });
		const ask = (params: object) => callAs(testbed.near, testbed.ada.principal, logs, { ...session, ...params });
		expect(await ask({})).to.deep.equal({
			...session,
			total: 3,
			returned: 3,
			lines: [line("DEBUG", "a"), line("ERROR", "b"), line("INFO", "c")],
		});
		expect(await ask({ lines: 1, level: "warning" })).to.deep.equal({
			...session,
			total: 3,
			returned: 1,
			lines: [line("ERROR", "b")],
		});
		expect((await ask({ lines: 2 })).lines.map(({ message }) => message)).to.deep.equal(["b", "c"]);
	});

	it("answers the conversation from it, page by page", async () => {
		const large = Array.from({ length: 5 }, (_, index) => turn(`t${index}`, "x".repeat(300_000)));
		const { id: session_id } = await testbed.ada.running();
		for (const [index, one] of large.entries()) await report(session_id, 1, { n: index + 1, turns: [one] });
		await testbed.ada.stop(session_id);
		const ask = (before?: string) =>
			callAs(testbed.near, testbed.ada.principal, conversation, {
				session_id,
				...(before !== undefined && { before }),
			});
		const newest = await ask();
		expect(newest).to.include({ truncated: true, is_active: false, last_activity: "" });
		expect(newest.turns).to.deep.equal(large.slice(3));
		const older = await ask("t3");
		expect(older.turns).to.deep.equal(large.slice(1, 3));
		expect(await ask("t1")).to.deep.include({ turns: large.slice(0, 1), truncated: false });
		expect((await ask("unknown")).turns).to.deep.equal([]);
	});

	it("answers the diff from the patch: files, one file, everything", async () => {
		const session = await told({ n: 1, diff: { id: "p", piece: 0, pieces: 1, text: patch, truncated: false } });
		const ask = (params: object) => callAs(testbed.near, testbed.ada.principal, diff, { ...session, ...params });
		expect(await ask({})).to.deep.equal({
			files: [
				{ path: "README.md", status: "mod", ins: 1, del: 0 },
				{ path: "tä.txt", status: "new", ins: 1, del: 0 },
				{ path: "gone", status: "del", ins: 0, del: 2 },
				{ path: "picture", status: "new", ins: 0, del: 0 },
			],
		});
		const texts = patch.slice(0, patch.indexOf("diff --git a/picture"));
		expect(await ask({ format: "patch" })).to.deep.equal({ patch: texts, truncated: true, omitted: ["picture"] });
		const lines = [
			{ type: "context", content: "hello", oldLine: 1, newLine: 1 },
			{ type: "add", content: "two", newLine: 2 },
		];
		expect(await ask({ file: "./README.md" })).to.deep.equal({
			filePath: "README.md",
			hunks: [{ oldStart: 1, oldCount: 1, newStart: 1, newCount: 2, lines }],
		});
		expect(await ask({ file: "unchanged" })).to.deep.equal({ filePath: "unchanged", hunks: [] });
		for (const wrong of [{ file: "../x" }, { base: "nope" }])
			expect(await failureOf(ask(wrong)), JSON.stringify(wrong)).to.be.instanceOf(BadRequestError);
		expect(await failureOf(ask({ base: "default-branch" })), "was not kept").to.be.instanceOf(NotFoundError);
	});

	it("answers the diff against the default branch from the patch of that base", async () => {
		const branch = patch.slice(0, patch.indexOf("diff --git a/gone"));
		const { id: session_id } = await testbed.ada.running();
		const piece = { piece: 0, pieces: 1, truncated: false };
		await report(session_id, 1, { n: 1, diff: { ...piece, id: "p", text: "" } });
		await report(session_id, 1, { n: 2, branch_diff: { ...piece, id: "b", text: branch } });
		await testbed.ada.stop(session_id);
		const ask = (base: string) =>
			callAs(testbed.near, testbed.ada.principal, diff, { session_id, base, format: "patch" });
		expect(await ask("last-commit")).to.deep.equal({ patch: "", truncated: false });
		expect(await ask("default-branch")).to.deep.equal({ patch: branch, truncated: false });
	});

	it("has nothing that was never reported", async () => {
		const { id: session_id } = await testbed.ada.stopped();
		for (const action of [logs, conversation, diff]) {
			const answer = callAs<{ session_id: string }, unknown>(testbed.near, testbed.ada.principal, action, {
				session_id,
			});
			expect(await failureOf(answer), action.name).to.be.instanceOf(NotFoundError);
		}
		const session = await told({ n: 1, logs: [line("INFO", "a")] });
		expect(await failureOf(callAs(testbed.near, testbed.ada.principal, diff, session))).to.be.instanceOf(NotFoundError);
	});

	it("answers from it when the pod cannot be reached, and fails when it is empty", async () => {
		const { id: session_id } = await testbed.ada.create();
		const [claim] = await testbed.ada.claim(session_id);
		const { id, fence, generation } = claim ?? expect.fail("leased");
		const observed = { phase: "ready" as const, timings: {}, purged: false, address: "http://127.0.0.1:9" };
		await callAs(testbed.near, job, sessionWork.actions.observe, { id, fence, generation, observed, due_in_ms: 0 });
		const ask = () => callAs(testbed.near, testbed.ada.principal, logs, { session_id });
		expect(await failureOf(ask())).to.be.instanceOf(UpstreamError);
		await report(session_id, 1, { n: 1, logs: [line("INFO", "told")] });
		expect((await ask()).lines).to.deep.equal([line("INFO", "told")]);
	});

	it("is not requested from an address that no runtime makes, even if the record has it (H9)", async () => {
		await using elsewhere = await FakePod.listen("127.0.0.2");
		const { id: session_id } = await testbed.ada.create();
		const [claim] = await testbed.ada.claim(session_id);
		const { id, fence, generation } = claim ?? expect.fail("leased");
		const observed = { phase: "ready" as const, timings: {}, purged: false, address: elsewhere.url };
		await callAs(testbed.near, job, sessionWork.actions.observe, { id, fence, generation, observed, due_in_ms: 0 });

		const asked = [
			callAs(testbed.near, testbed.ada.principal, logs, { session_id }),
			callAs(testbed.near, testbed.ada.principal, conversation, { session_id }),
			callAs(testbed.near, testbed.ada.principal, diff, { session_id }),
			callAs(testbed.near, testbed.ada.principal, sessions.actions.messages, { session_id, content: "hello" }),
		];
		for (const answer of asked) expect(await failureOf(answer)).to.be.instanceOf(UpstreamError);
		expect(elsewhere.connections, "somebody was asked").to.equal(0);
	});

	it("is accepted from the pod of the current launch only, also for earlier launches", async () => {
		const { session_id: id } = await told({ n: 1, logs: [line("INFO", "first")] });
		await testbed.ada.command("start", id);
		const stale = await failureOf(report(id, 1, { n: 2, logs: [line("INFO", "stale")] }));
		expect(stale).to.be.instanceOf(ConflictError).and.to.include({ type: "STALE_GENERATION" });
		await report(id, 2, { n: 1, launch: 1, logs: [line("INFO", "again")] });
		await report(id, 2, { n: 2, launch: 1, logs: [line("INFO", "undelivered")] });
		await report(id, 2, { n: 1, logs: [line("INFO", "second")] });
		const { lines } = await callAs(testbed.near, testbed.ada.principal, logs, { session_id: id });
		expect(lines.map(({ message }) => message)).to.deep.equal(["first", "undelivered", "second"]);
		expect(await failureOf(report(id, 2, { n: 9, launch: 3 }))).to.be.instanceOf(UnprocessableError);
		const others = await failureOf(
			callAs(testbed.near, testbed.ada.principal, history.actions.report, { session_id: id, n: 3 }),
		);
		expect(others, "not even by the owner").to.be.instanceOf(ForbiddenError);
		expect(await failureOf(callAs(testbed.near, bob, logs, { session_id: id }))).to.be.instanceOf(NotFoundError);
	});

	it("is refused for a session that is deleted", async () => {
		const { session_id: id } = await told({ n: 1, logs: [line("INFO", "a")] });
		await testbed.ada.delete(id);
		expect(await failureOf(report(id, 1, { n: 2, logs: [line("INFO", "b")] }))).to.be.instanceOf(NotFoundError);
	});
});
