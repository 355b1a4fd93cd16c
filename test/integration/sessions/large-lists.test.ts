/** Lists of large documents end by bytes, in an answer that fits a message, and continue from there. */
import { expect } from "chai";
import { maxMessageBytes } from "#shared/bus/message-size.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import { sessionWork } from "#shared/contracts/sessions/session-work.ts";
import { describeSessions } from "../../support/platform/describe-sessions.ts";
import { callAs, job } from "../../support/bus/test-brokers.ts";

/** A valid text of a client: each quote takes two bytes as JSON, and four inside a message. */
const large = { issue_id: '"'.repeat(255), issue_url: "x".repeat(2_048), task_type: "\u0001".repeat(255) };

describeSessions("large lists", (testbed) => {
	/** The ids, newest first; in the same millisecond the larger one first. */
	async function create(count: number, archived: (n: number) => boolean = () => false): Promise<string[]> {
		const made: { created_at: string; id: string }[] = [];
		for (let n = 0; n < count; n++) {
			const { id, created_at } = await testbed.ada.create(large);
			made.push({ created_at, id });
			if (archived(n)) await testbed.ada.command("archive", id);
		}
		const newest = made.toSorted((a, b) => (a.created_at + a.id < b.created_at + b.id ? 1 : -1));
		return newest.map(({ id }) => id);
	}

	/** The ids on each page. */
	async function pages(query: object): Promise<string[][]> {
		const all: string[][] = [];
		for (let cursor: string | undefined; all.length < 80; ) {
			const page: { items: Session[]; next?: string | undefined } = await testbed.ada.list({
				...query,
				...(cursor !== undefined && { cursor }),
			});
			expect(Buffer.byteLength(JSON.stringify(JSON.stringify(page.items)))).to.be.below(maxMessageBytes);
			all.push(page.items.map(({ id }) => id));
			cursor = page.next;
			if (cursor === undefined) return all;
		}
		throw new Error("The pages do not end");
	}

	it("of sessions, at the default limit (M2)", async () => {
		const ids = await create(220);
		const found = await pages({});
		expect(found.length).to.be.greaterThan(1);
		expect(found.flat()).to.deep.equal(ids);
		expect((await pages({ status: "starting", limit: 7 })).flat()).to.deep.equal(ids);
	}).timeout(60_000);

	it("of sessions and archived ones together, each in its place (M2)", async () => {
		// One shelf has old sessions, so the page of the other ends by bytes before they begin.
		const ids = await create(300, (n) => n < 30 || n % 50 === 0);
		const found = await pages({ include_archived: true });
		expect(found.length).to.be.greaterThan(1);
		expect(found.flat()).to.deep.equal(ids);
		expect((await pages({ include_archived: true, limit: 70 })).flat()).to.deep.equal(ids);
	}).timeout(60_000);

	it("of claims: a claim that does not fit is not leased (C1)", async () => {
		const prompts = { system_prompt: "ä".repeat(100_000), initial_prompt: "ä".repeat(100_000) };
		const wanted: string[] = [];
		for (let n = 0; n < 6; n++) wanted.push((await testbed.ada.create(prompts)).id);
		const claimed: string[] = [];
		for (let round = 0; round < 10 && claimed.length < 6; round++) {
			const ids = wanted.filter((id) => !claimed.includes(id));
			const claims = await callAs(testbed.near, job, sessionWork.actions.claim_due, { limit: 64, ids });
			claimed.push(...claims.map(({ id }) => id));
		}
		expect(claimed).to.have.members(wanted);
	}).timeout(60_000);
});
