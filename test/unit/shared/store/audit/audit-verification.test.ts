/** The verification of an audit log finds every change of it: controls for each kind of forgery. */
import { expect } from "chai";
import { type AuditFacts, chained, type ChainedEntry, chainStart } from "#shared/store/audit/audit-chain.ts";
import { AuditSigner } from "#shared/store/audit/audit-signature.ts";
import { type ExportedAudit, verifyAudit } from "#shared/store/audit/audit-verification.ts";

const time = "2026-01-01T00:00:00.000Z";
const signer = new AuditSigner(Buffer.alloc(32, 1));

function factsOf(id: string): AuditFacts {
	return { time, actor: { kind: "user", id }, action: "prompts.delete", outcome: "done", resource: `prompts/${id}` };
}

function chainOf(count: number): ChainedEntry[] {
	const entries: ChainedEntry[] = [];
	for (let n = 1; n <= count; n++)
		entries.push(chained(entries.at(-1) ?? chainStart, { tenant: "t", key: `k${n}`, facts: factsOf(`u${n}`) }));
	return entries;
}

function signed({ seq, hash }: ChainedEntry, by = signer) {
	return by.sign({ tenant: "t", seq, hash, time });
}

function exported(entries: ChainedEntry[], at: readonly number[]): ExportedAudit {
	const checkpoints = entries.filter(({ seq }) => at.includes(seq)).map((entry) => signed(entry));
	return { publicKey: signer.publicKey, checkpoints, entries };
}

describe("verifyAudit", () => {
	const entries = chainOf(6);
	const log = exported(entries, [2, 5]);
	const faultsOf = (forged: Partial<ExportedAudit>) => verifyAudit({ ...log, ...forged }).faults;

	it("accepts a whole log, and says how far it is signed", () => {
		expect(verifyAudit(log)).to.deep.equal({ entries: 6, signedUpTo: 5, faults: [] });
		expect(verifyAudit(exported([], []))).to.deep.include({ signedUpTo: 0, faults: [] });
	});

	it("accepts the rest of a log whose beginning was removed up to a checkpoint", () => {
		expect(verifyAudit({ ...log, entries: entries.slice(2) })).to.deep.equal({
			entries: 4,
			signedUpTo: 5,
			faults: [],
		});
		expect(faultsOf({ entries: entries.slice(1) })).to.deep.equal(["Entry 1 is missing: entry 2 follows 0"]);
	});

	it("finds a removed entry, an exchanged order and an entry that was inserted", () => {
		expect(faultsOf({ entries: entries.filter(({ seq }) => seq !== 4) })).to.have.length(1);
		expect(faultsOf({ entries: [...entries.slice(0, 2), ...entries.slice(2).toReversed()] })).to.have.length(1);
		const [first = chained(chainStart, { tenant: "t", key: "", facts: factsOf("") })] = entries;
		const inserted = chained(first, { tenant: "t", key: "forged", facts: factsOf("forged") });
		expect(faultsOf({ entries: [first, inserted, ...entries.slice(1)] })).to.have.length(1);
	});

	it("finds a change of every member of an entry", () => {
		const [entry] = entries;
		for (const member of Object.keys(entry ?? {})) {
			const changed = { ...entry, [member]: member === "seq" ? 7 : "forged" };
			expect(faultsOf({ entries: [changed as ChainedEntry, ...entries.slice(1)] }), member).not.to.have.length(0);
		}
	});

	it("finds a chain that was computed again, because a signed entry differs", () => {
		const again: ChainedEntry[] = [];
		for (let n = 1; n <= 6; n++) {
			const facts = factsOf(n === 3 ? "somebody-else" : `u${n}`);
			again.push(chained(again.at(-1) ?? chainStart, { tenant: "t", key: `k${n}`, facts }));
		}
		expect(faultsOf({ entries: again })).to.deep.equal(["Entry 5 is not the one that was signed"]);
	});

	it("finds that the end was cut off, as far as it was signed", () => {
		expect(faultsOf({ entries: entries.slice(0, 4) })).to.deep.equal(["Entry 5 is signed but not in the log"]);
	});

	it("finds a checkpoint of another key and one of another tenant", () => {
		const [, , third] = entries;
		if (!third) throw new Error("The chain is too short");
		const stranger = new AuditSigner(Buffer.alloc(32, 2));
		expect(faultsOf({ checkpoints: [signed(third, stranger)] })).to.have.length(1);
		const foreign = signer.sign({ tenant: "other", seq: 3, hash: third.hash, time });
		expect(faultsOf({ checkpoints: [foreign] })).to.have.length(1);
	});
});
