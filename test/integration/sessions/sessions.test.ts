/** Session records over the bus and a real store, without pods: who sees what, and what is refused. */
import { expect } from "chai";
import { randomUUID } from "node:crypto";
import type { Principal } from "#shared/base/principal.ts";
import { sessions } from "#shared/contracts/sessions/sessions.ts";
import { ForbiddenError, InvalidParametersError, NotFoundError, UnprocessableError } from "#shared/base/errors.ts";
import { describeSessions } from "../../support/platform/describe-sessions.ts";
import { failureOf } from "../../support/failure-of.ts";
import { SessionActor } from "../../support/platform/session-actor.ts";
import { bob, callAs, carol, root } from "../../support/bus/test-brokers.ts";

const { actions } = sessions;

describeSessions("sessions", (testbed) => {
	it("creates a session that is starting, for its owner", async () => {
		const model = "claude-sonnet-4-6";
		const session = await testbed.ada.create({ repo: "https://example.org/a.git", branch: "dev", model });
		const owner = { owner_id: testbed.ada.principal.id, tenant_id: "acme" };
		expect(session).to.include({ status: "starting", generation: 1, rev: 1, model, ...owner });
		const source = { type: "git", repo: "https://example.org/a.git", branch: "dev", base_branch: "" };
		expect(session.source).to.deep.equal(source);
		expect(session).to.include({ repo: "https://example.org/a.git", branch: "dev" });
		expect(await testbed.ada.get(session.id)).to.deep.equal(session);
	});

	it("takes a model's other name, and records and launches the session with the model's id", async () => {
		const session = await testbed.ada.create({ repo: "https://example.org/a.git", model: "claude-sonnet-4" });
		expect(session.model).to.equal("claude-sonnet-4-6");
		const update = { session_id: session.id, model: "claude-opus-4" };
		const updated = await callAs(testbed.near, testbed.ada.principal, actions.update, update);
		expect(updated.model).to.equal("claude-opus-4-6");
		expect((await testbed.ada.claim(session.id))[0]?.launch["model"]).to.equal("claude-opus-4-6");
	});

	it("prefers `source` to the flat form", async () => {
		const source = { type: "git", repo: "https://example.org/b.git", base_branch: "base" };
		const session = await testbed.ada.create({ source, repo: "https://example.org/a.git", branch: "dev" });
		expect(session).to.include({ repo: "https://example.org/b.git", branch: "" });
	});

	it("takes repository, branch and model from the template, where the request has none", async () => {
		const session = await testbed.ada.create({ template_name: "node-service" });
		expect(session).to.include({ template_name: "node-service", branch: "master" });
		expect(session.repo).to.match(/^https:/);
		const own = await testbed.ada.create({ template_name: "node-service", repo: "https://example.org/a.git" });
		expect(own).to.include({ repo: "https://example.org/a.git", branch: "" });
	});

	const mounts = [{ host_path: "/", mount_path: "/" }];
	const refused: Record<string, [object, RegExp]> = {
		"an unknown template": [{ template_name: "nope" }, /Template "nope" does not exist/],
		"an unknown profile": [
			{ profile_name: "nope" },
			/Profile "nope" does not exist; you have none, and POST \/profiles makes one/,
		],
		"an unknown preset": [{ preset_id: randomUUID() }, /Preset .* does not exist; .*GET \/presets lists them/],
		"an unknown model": [
			{ model: "claude-sonet-4-6" },
			/^There is no model "claude-sonet-4-6"; did you mean "claude-sonnet-4-6"\? Known: claude-opus-4-6, /,
		],
		"a local mount": [{ source: { type: "local_mount", paths: mounts } }, /Local mounts/],
		"a transport of git's own": [{ repo: "ext::sh -c id" }, /repository URL/],
		"a repository that begins with a dash": [{ repo: "--upload-pack=id" }, /begins with a dash/],
		"a branch that is an option": [{ branch: "--upload-pack=id" }, /cannot be the name of a branch/],
		"a branch with dots": [{ branch: "a..b" }, /cannot be the name of a branch/],
	};
	for (const [what, [body, sentence]] of Object.entries(refused)) {
		it(`refuses ${what}, naming it`, async () => {
			const error = await failureOf<Error>(testbed.ada.create(body));
			expect(error).to.be.instanceOf(UnprocessableError);
			expect(error.message).to.match(sentence);
		});
	}

	it("lists by status in either case, by shelf, newest first, page by page", async () => {
		const made = [
			await testbed.ada.stopped(),
			await testbed.ada.stopped(),
			await testbed.ada.running(),
			await testbed.ada.running(),
			await testbed.ada.running(),
		];
		await testbed.ada.command("archive", made[1]?.id ?? "");
		const order = async (params: object) => {
			const seen: number[] = [];
			let cursor: string | undefined;
			do {
				const page = await testbed.ada.list({ limit: 2, ...(cursor !== undefined && { cursor }), ...params });
				seen.push(...page.items.map(({ id }) => made.findIndex((one) => one.id === id)));
				cursor = page.next;
			} while (cursor !== undefined);
			return seen.join("");
		};
		expect(await order({})).to.equal("4320");
		expect(await order({ include_archived: true })).to.equal("43210");
		expect(await order({ status: "running" })).to.equal("432");
		expect(await order({ status: "RUNNING" })).to.equal("432");
		expect(await order({ status: "archived" })).to.equal("1");
		expect(await failureOf(testbed.ada.list({ status: "nope" }))).to.be.instanceOf(InvalidParametersError);
	});

	it("have ids whose first eight digits, which clients show people, tell them apart", async () => {
		const made = await Promise.all(Array.from({ length: 5 }, () => testbed.ada.create()));
		expect(new Set(made.map(({ id }) => id.slice(0, 8))).size).to.equal(5);
	});

	it("exists only for its owner and administrators of the tenant", async () => {
		const { id } = await testbed.ada.running();
		const { get, start, stop, archive, restore, logs, conversation, diff, messages } = actions;
		const pod: Principal = { kind: "pod", id: randomUUID(), tenant: "", roles: [], generation: 1 };
		for (const stranger of [bob, carol]) {
			for (const action of [get, start, stop, archive, restore, logs, conversation, diff, messages]) {
				const error = await failureOf(
					callAs<{ session_id: string }, unknown>(testbed.near, stranger, action, { session_id: id }),
				);
				expect(error, action.name).to.be.instanceOf(NotFoundError);
			}
		}
		for (const stranger of [bob, carol, pod]) {
			const report = callAs(testbed.near, stranger, actions.activity, { session_id: id, state: "idle" });
			expect(await failureOf(report)).to.be.instanceOf(NotFoundError);
		}
		const others = await new SessionActor(testbed.near, bob).list();
		expect(others.items.map((one) => one.id)).not.to.include(id);
		expect(await new SessionActor(testbed.near, root).get(id)).to.include({ id });
		const speak = callAs(testbed.near, root, messages, { session_id: id, content: "x" });
		expect(await failureOf(speak), "even an administrator").to.be.instanceOf(ForbiddenError);
		const update = (members: object) => callAs(testbed.near, root, actions.update, { session_id: id, ...members });
		expect(await failureOf(update({ name: "theirs", branch: "mallory" }))).to.be.instanceOf(ForbiddenError);
		expect(await failureOf(update({ name: "theirs" })), "a name becomes the title of pull requests").to.be.instanceOf(
			ForbiddenError,
		);
		expect(await update({ budget: { limit: 3 } })).to.include({ branch: "main" });
	});

	it("archives the caller's stopped sessions only", async () => {
		const mine = [await testbed.ada.stopped(), await testbed.ada.stopped()];
		const [theirs, busy] = [await new SessionActor(testbed.near).stopped(), await testbed.ada.running()];
		const { items: archived } = await callAs(testbed.near, testbed.ada.principal, actions.archive_stopped, {});
		expect(archived.toSorted()).to.deep.equal(mine.map(({ id }) => id).toSorted());
		expect(await new SessionActor(testbed.near, root).get(theirs.id)).to.include({ status: "stopped" });
		expect(await testbed.ada.get(busy.id)).to.include({ status: "running" });
	});

	it("refuses an update that names an unknown model, and leaves the session as it was", async () => {
		const before = await testbed.ada.stopped();
		const update = { session_id: before.id, name: "b", model: "gpt-9" };
		const error = await failureOf<Error>(callAs(testbed.near, testbed.ada.principal, actions.update, update));
		expect(error).to.be.instanceOf(UnprocessableError).with.property("type", "MODEL_UNKNOWN");
		expect(error.message).to.match(/^There is no model "gpt-9"/);
		expect(await testbed.ada.get(before.id)).to.deep.equal(before);
	});

	it("changes what an update names, for the record and the next launch", async () => {
		const { id } = await testbed.ada.stopped();
		const update = { name: "b", branch: "dev", model: null };
		const updated = await callAs(testbed.near, testbed.ada.principal, actions.update, { session_id: id, ...update });
		expect(updated).to.include({ name: "b", branch: "dev", model: "" });
		await testbed.ada.command("start", id);
		const [claim] = await testbed.ada.claim(id);
		expect(claim?.launch).to.deep.include({ name: "b" });
		expect(claim?.launch["repositories"]).to.deep.equal([{ url: "", branch: "dev", base_branch: "", path: "" }]);
	});
});
