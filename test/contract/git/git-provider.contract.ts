/** The suite of the port `GitProvider`, which every adapter passes at a fake or a real server of its kind. */
import { expect } from "chai";
import { type GitProvider, gitProviderMethods, type RepositoryPlace } from "#services/git/providers/git-provider.ts";
import { isoTime, now } from "#shared/base/clock.ts";
import { eventually } from "../../support/eventually.ts";
import { failureOf } from "../../support/failure-of.ts";

/** A server with one repository, in which the provider's account may do everything. */
export interface ProviderStage extends AsyncDisposable {
	readonly provider: GitProvider;
	/** The login of the provider's account. */
	readonly user: string;
	/** The repository has the branch `main` with one commit. */
	readonly place: RepositoryPlace;
	/** Returns a provider with another token at the same server. */
	withToken(token: string): Promise<GitProvider>;
	/** Commits files on a branch, which begins at `main` when it is new, and pushes it. Returns the commit. */
	push(branch: string, files: Readonly<Record<string, string>>, message?: string): Promise<string>;
	/** Makes branches `<prefix>-1` … at `main`. */
	pushBranches(prefix: string, count: number): Promise<void>;
	/** Reports the outcome of a check for a branch's newest commit. */
	check(branch: string, name: string, state: "passing" | "failing" | "pending"): Promise<void>;
	/** Somebody else opens a pull request from a fork, whose branch has this name, into `main`. Returns its number. */
	openFromFork(branch: string): Promise<number>;
	/** Somebody else reviews a pull request. */
	review(number: number, state: "approved" | "changes_requested"): Promise<void>;
	/** Returns sentences about requests and answers that contradict the description of the provider. */
	violations(): readonly unknown[];
}

export interface ContractOptions {
	/** The name of a test's group. */
	readonly name: string;
	readonly open: () => Promise<ProviderStage>;
	/** The time of one test in milliseconds; default 20,000. */
	readonly timeoutMs?: number;
}

const pull = { title: "Add a file", description: "It was missing", base: "main", labels: [], draft: false } as const;

export function gitProviderContract({ name, open, timeoutMs = 20_000 }: ContractOptions): void {
	describe(`the git provider ${name}`, function () {
		this.timeout(timeoutMs);
		let stage: ProviderStage;
		let provider: GitProvider;
		let place: RepositoryPlace;
		let branches = 0;

		before(async () => {
			stage = await open();
			({ provider, place } = stage);
		});

		after(async () => {
			const violations = stage?.violations() ?? [];
			await stage?.[Symbol.asyncDispose]();
			expect(violations).to.deep.equal([]);
		});

		/** Pushes a new branch with one new file. */
		async function branch(files?: Record<string, string>): Promise<string> {
			const head = `work-${++branches}`;
			await stage.push(head, files ?? { [`${head}.txt`]: "one\ntwo\n" });
			return head;
		}

		/** Opens a pull request of a new branch. */
		async function opened(files?: Record<string, string>) {
			const head = await branch(files);
			return { head, ...(await provider.openPull(place, { ...pull, head })) };
		}

		it("has every method of the port", () => {
			for (const method of gitProviderMethods) expect(provider[method]).to.be.a("function");
		});

		it("knows its repositories in every form, and no others", () => {
			const path = `${place.owner}/${place.name}`;
			const ssh = provider.host.replace(/:\d+$/, "");
			for (const text of [
				`https://${provider.host}/${path}`,
				`https://${provider.host}/${path}.git`,
				`git@${ssh}:${path}.git`,
			])
				expect(provider.placeOf(text), text).to.deep.equal(place);
			for (const text of [
				`https://other.example/${path}`,
				`https://me:secret@${provider.host}/${path}`,
				"nonsense",
				"",
			])
				expect(provider.placeOf(text), text).to.equal(undefined);
		});

		it("tells whose credential it is", async () => {
			expect((await provider.whoAmI()).user).to.equal(stage.user);
		});

		it("says that a wrong credential is refused, without repeating it", async () => {
			const wrong = await stage.withToken("wrong-token-0123456789");
			for (const attempt of [wrong.whoAmI(), wrong.branches(place)]) {
				const error = await failureOf(attempt);
				expect(error).to.include({ code: 401, type: "PROVIDER_REFUSED" });
				expect(String(error)).not.to.contain("wrong-token");
			}
		});

		it("reads a repository, and says when there is none", async () => {
			const found = await provider.repository(place);
			expect(found).to.deep.include({
				provider: provider.type,
				org: place.owner,
				name: place.name,
				default_branch: "main",
			});
			expect(provider.placeOf(found.clone_url)).to.deep.equal(place);
			expect(provider.placeOf(found.url)).to.deep.equal(place);
			for (const attempt of [
				provider.repository({ ...place, name: "no-such" }),
				provider.branches({ ...place, name: "no-such" }),
			])
				expect(await failureOf(attempt)).to.include({ code: 404, type: "PROVIDER_NOT_FOUND" });
		});

		it("lists the repositories of an organization", async () => {
			const found = await provider.repositories(place.owner);
			expect(found.map(({ name: one }) => one)).to.include(place.name);
		});

		it("lists all branches, over several pages", async () => {
			await stage.pushBranches("page", 105);
			const found = await provider.branches(place);
			expect(found).to.include("main").and.include("page-1").and.include("page-105");
			expect(new Set(found).size).to.equal(found.length);
		});

		it("opens a pull request once, and finds it", async () => {
			const head = await branch();
			expect(await provider.pullOf(place, { head, base: "main" })).to.equal(undefined);
			const first = await provider.openPull(place, { ...pull, head, labels: ["from-atelier"] });
			expect(first).to.deep.include({
				title: pull.title,
				source_branch: head,
				target_branch: "main",
				status: "open",
				draft: false,
			});
			expect(first.description).to.contain(pull.description);
			const again = await provider.openPull(place, { ...pull, head });
			expect(again.number).to.equal(first.number);
			expect((await provider.pullOf(place, { head, base: "main" }))?.number).to.equal(first.number);
			const read = await provider.pull(place, first.number);
			expect(read).to.deep.include({
				number: first.number,
				head_sha: first.head_sha,
				author: stage.user,
				merge_sha: null,
			});
			expect(first.head_sha).to.match(/^[0-9a-f]{40}$/);
		});

		it("takes no pull request of a fork for one of the repository's own branch of the same name", async () => {
			const head = await branch();
			const foreign = await stage.openFromFork(head);
			expect(await provider.pullOf(place, { head, base: "main" })).to.equal(undefined);
			const own = await provider.openPull(place, { ...pull, head });
			expect(own.number).to.not.equal(foreign);
			expect(own).to.not.have.property("is_from_fork");
			expect((await provider.pullOf(place, { head, base: "main" }))?.number).to.equal(own.number);
			const listed = await provider.pulls(place, "open");
			const marks = listed.filter(({ source_branch }) => source_branch === head);
			expect(marks.map(({ number, is_from_fork = false }) => [number, is_from_fork])).to.have.deep.members([
				[foreign, true],
				[own.number, false],
			]);
			expect((await provider.pull(place, foreign)).is_from_fork).to.equal(true);
		});

		it("opens a draft", async () => {
			const head = await branch();
			expect(await provider.openPull(place, { ...pull, head, draft: true })).to.include({
				draft: true,
				title: pull.title,
			});
		});

		it("refuses a pull request of a branch that does not exist, or that has nothing new", async () => {
			for (const head of ["no-such-branch", "main"]) {
				const error = await failureOf<{ code: number }>(provider.openPull(place, { ...pull, head }));
				expect(error.code, head).to.be.within(404, 422);
			}
		});

		it("lists pull requests by their state", async () => {
			const { number, head_sha } = await opened();
			const merged = await opened();
			await mergeable(merged.number);
			await provider.mergePull(place, merged.number, { method: "squash", expected_head: merged.head_sha });
			const numbers = async (status: "open" | "merged" | "closed" | "all") =>
				(await provider.pulls(place, status)).map((one) => one.number);
			expect(await numbers("open"))
				.to.include(number)
				.and.not.include(merged.number);
			expect(await numbers("merged"))
				.to.include(merged.number)
				.and.not.include(number);
			expect(await numbers("closed")).to.not.include(merged.number);
			expect(await numbers("all"))
				.to.include(number)
				.and.include(merged.number);
			expect((await provider.pulls(place, "open")).find((one) => one.number === number)).to.deep.include({ head_sha });
		});

		/** Waits until the server knows that the pull request can be merged. */
		async function mergeable(number: number): Promise<void> {
			await eventually(async () => (await provider.pull(place, number)).mergeable === true, { withinMs: timeoutMs });
		}

		it("sums up checks: one that fails decides, then one that is under way; none is unknown", async () => {
			const head = await branch();
			expect(await provider.ciStatus(place, head)).to.equal("unknown");
			await stage.check(head, "build", "passing");
			expect(await provider.ciStatus(place, head)).to.equal("passing");
			await stage.check(head, "lint", "pending");
			expect(await provider.ciStatus(place, head)).to.equal("pending");
			await stage.check(head, "lint", "failing");
			expect(await provider.ciStatus(place, head)).to.equal("failing");
			await stage.check(head, "lint", "passing");
			expect(await provider.ciStatus(place, head)).to.equal("passing");
		});

		it("gives the evidence of a pull request: checks, reviews with their commits, files with their lines", async () => {
			const one = await opened({ "src/evidence.txt": "1\n2\n3\n" });
			await stage.check(one.head, "build", "passing");
			await stage.review(one.number, "approved");
			const before = await provider.evidence(place, one.number);
			expect(before).to.deep.include({ head_sha: one.head_sha, target_branch: "main", mergeable: true, more: false });
			expect(before.checks.map(({ name: check, state }) => [check, state])).to.deep.include(["build", "passing"]);
			expect(before.reviews).to.have.length(1);
			expect(before.reviews[0]).to.include({ state: "approved" });
			expect(before.reviews[0]?.author).to.not.equal(stage.user);
			if (before.reviews[0]?.commit !== null) expect(before.reviews[0]?.commit).to.equal(one.head_sha);
			expect(before.files).to.deep.equal([{ path: "src/evidence.txt", additions: 3, deletions: 0 }]);
			const newer = await stage.push(one.head, { "src/evidence.txt": "1\n" });
			await eventually(async () => (await provider.evidence(place, one.number)).head_sha === newer, {
				withinMs: timeoutMs,
			});
			const later = await provider.evidence(place, one.number);
			expect(later.checks.filter(({ state }) => state === "passing")).to.deep.equal([]);
		});

		for (const method of ["merge", "squash"] as const) {
			it(`merges by ${method}, and answers the same when it is asked again`, async () => {
				const since = isoTime(now() - 60_000);
				const { number, head_sha } = await opened();
				await mergeable(number);
				const { sha } = await provider.mergePull(place, number, { method, expected_head: head_sha });
				const merged = await provider.pull(place, number);
				expect(merged).to.deep.include({ status: "merged", merge_sha: sha });
				expect(await provider.mergePull(place, number, { method, expected_head: head_sha })).to.deep.equal({ sha });
				const commits = await provider.commitsSince(place, "main", since);
				expect(commits.map((one) => one.sha)).to.include(sha);
				expect(Date.parse(commits[0]?.at ?? "")).to.be.within(now() - 120_000, now() + 120_000);
			});
		}

		it("does not merge newer commits than the expected ones", async () => {
			const { head, number, head_sha } = await opened();
			const newer = await stage.push(head, { "newer.txt": "newer\n" });
			await eventually(async () => (await provider.pull(place, number)).head_sha === newer, { withinMs: timeoutMs });
			const error = await failureOf(provider.mergePull(place, number, { method: "merge", expected_head: head_sha }));
			expect(error).to.include({ code: 409, type: "PULL_HEAD_MOVED" });
			expect((await provider.pull(place, number)).status).to.equal("open");
		});

		it("tells a conflict from other reasons", async () => {
			const [one, other] = [await branch({ "same.txt": "one\n" }), await branch({ "same.txt": "other\n" })];
			const first = await provider.openPull(place, { ...pull, head: one });
			const second = await provider.openPull(place, { ...pull, head: other });
			await mergeable(first.number);
			await provider.mergePull(place, first.number, { method: "merge", expected_head: first.head_sha });
			await eventually(async () => (await provider.pull(place, second.number)).mergeable === false, {
				withinMs: timeoutMs,
			});
			const request = { method: "merge", expected_head: second.head_sha } as const;
			expect(await failureOf(provider.mergePull(place, second.number, request))).to.include({
				code: 409,
				type: "PULL_CONFLICT",
			});
			const draft = await provider.openPull(place, { ...pull, head: await branch(), draft: true });
			const blocked = provider.mergePull(place, draft.number, { method: "merge", expected_head: draft.head_sha });
			expect(await failureOf(blocked)).to.include({ code: 409, type: "PULL_NOT_MERGEABLE" });
		});

		it("says that there is no such pull request", async () => {
			expect(await failureOf(provider.pull(place, 987_654))).to.include({ code: 404 });
		});
	});
}
