/** The behaviour of every tracker's adapter, whatever the tracker is called. */
import { expect } from "chai";
import { NotFoundError, type ServiceError, UnauthorizedError, UnprocessableError } from "#shared/base/errors.ts";
import type { IssueTracker } from "#services/tracker/trackers/issue-tracker.ts";
import { failureOf } from "../support/failure-of.ts";

/** A tracker's server with one project, and the adapter that talks to it. */
export interface TrackerWithIssues extends AsyncDisposable {
	readonly tracker: IssueTracker;
	/** The same adapter with a token that the server does not know. */
	readonly stranger: IssueTracker;
	/** The project as a mapping names it. */
	readonly project: string;
	/** The name of the state of a new issue, and of one that an issue may get after it. */
	readonly states: { readonly first: string; readonly next: string };
	/** Adds an issue to the project, or to another one, and returns its identifier. The last one counts as changed last. */
	add(title: string, project?: "another"): string | Promise<string>;
	/** An identifier of the right form that no issue has. */
	readonly absent: string;
	/** Requests of the adapter, and answers of the server, that do not fit the description of the tracker. */
	readonly violations: readonly unknown[];
}

/** Texts that are qualifiers, operators or paths in some tracker's language. */
const hostileTexts = [
	'" OR project = "X',
	"repo:acme/secret",
	"project:x -is:open",
	"\\",
	"*",
	"a\nb\u0000",
	"{ issues }",
	"💥",
];
const hostileIds = ["../user", "%2e%2e", "a b", "a\nb", "a?x=1", "#", "", "x".repeat(5_000), "acme/../x#1"];

export function describeIssueTracker(name: string, start: () => Promise<TrackerWithIssues>): void {
	describe(`the tracker ${name}`, () => {
		let server: TrackerWithIssues;
		let tracker: IssueTracker;

		beforeEach(async () => {
			server = await start();
			({ tracker } = server);
		});
		afterEach(async () => {
			const violations = [...server.violations];
			await server[Symbol.asyncDispose]();
			expect(violations).to.deep.equal([]);
		});

		it("says whose it is", async () => {
			const { user, workspace } = await tracker.status();
			expect([typeof user, workspace === null || typeof workspace === "string"]).to.deep.equal(["string", true]);
		});

		it("refuses a token that it does not know", async () => {
			for (const use of [server.stranger.status(), server.stranger.recent(server.project, 5)]) {
				const error = await failureOf<ServiceError>(use);
				expect([error.constructor, error.type]).to.deep.equal([UnauthorizedError, "PROVIDER_REFUSED"]);
			}
		});

		it("finds issues by their words, in one project only", async () => {
			const identifier = await server.add("Login fails with umlauts");
			await server.add("Something else");
			await server.add("Login fails elsewhere", "another");
			const found = await tracker.search("fails LOGIN", server.project);
			expect(found.map((issue) => issue.identifier)).to.deep.equal([identifier]);
			expect(found[0]).to.deep.include({ title: "Login fails with umlauts", status: server.states.first, labels: [] });
			expect(found[0]?.url).to.match(/^https?:\/\//);
		});

		it("takes every text as words", async () => {
			await server.add("Ordinary");
			await server.add("Secret", "another");
			for (const text of hostileTexts) {
				const found = await tracker.search(text, server.project);
				expect(
					found.filter(({ title }) => title === "Secret"),
					text,
				).to.deep.equal([]);
			}
		});

		it("finds 25 issues at most", async () => {
			for (let number = 0; number < 30; number++) await server.add(`Crash ${number}`);
			expect(await tracker.search("crash", server.project)).to.have.length(25);
		});

		it("lists the issues of a project, the one that changed last first", async () => {
			const older = await server.add("Older");
			const newer = await server.add("Newer");
			const listed = async (limit: number) =>
				(await tracker.recent(server.project, limit)).map(({ identifier }) => identifier);
			expect(await listed(10)).to.deep.equal([newer, older]);
			expect(await listed(1)).to.deep.equal([newer]);
		});

		it("knows an issue by its id and by its identifier, and no other one", async () => {
			const identifier = await server.add("Known");
			const issue = await tracker.issue(identifier);
			expect(issue).to.include({ identifier, title: "Known" });
			expect(await tracker.issue(issue?.id ?? "")).to.deep.equal(issue);
			expect(await tracker.issue(server.absent)).to.equal(undefined);
		});

		it("makes no request of an id that cannot be one", async () => {
			for (const id of hostileIds) expect(await tracker.issue(id), id).to.equal(undefined);
		});

		it("moves an issue to a state by its name in any letters, and leaves one alone that is there", async () => {
			const { first, next } = server.states;
			const identifier = await server.add("Movable");
			expect(await tracker.setStatus(identifier, first.toUpperCase())).to.include({ status: first });
			expect(await tracker.setStatus(identifier, next.toUpperCase())).to.include({ identifier, status: next });
			expect(await tracker.setStatus(identifier, next)).to.include({ status: next });
			expect(await tracker.issue(identifier)).to.include({ status: next });
		});

		it("names the states that there are when it does not know one", async () => {
			const identifier = await server.add("Movable");
			const error = await failureOf<ServiceError>(tracker.setStatus(identifier, "Nirvana"));
			expect(error).to.be.instanceOf(UnprocessableError);
			expect(error.message).to.include('"Nirvana"').and.to.include(`"${server.states.next}"`);
			expect(await tracker.issue(identifier)).to.include({ status: server.states.first });
		});

		it("cannot move an issue that does not exist", async () => {
			const error = await failureOf(tracker.setStatus(server.absent, server.states.next));
			expect(error).to.be.instanceOf(NotFoundError);
		});
	});
}
