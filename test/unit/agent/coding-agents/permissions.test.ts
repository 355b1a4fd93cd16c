import { expect } from "chai";
import { setTimeout as sleep } from "node:timers/promises";
import { readPermission } from "#agent/coding-agents/acp/acp-permissions.ts";
import { PermissionAnswerError } from "#agent/coding-agents/permission-errors.ts";
import { Permissions } from "#agent/coding-agents/permissions.ts";

const options = ["allow_once", "allow_always", "reject_once"].map((kind) => ({ option_id: kind, name: kind, kind }));
const wanted = { tool: "edit", title: "Write a.txt", input: {}, options, choice: false };
const choices = [
	{ option_id: "q0", name: "Yes, delete", kind: "allow_once" },
	{ option_id: "q1", name: "No, keep", kind: "allow_once" },
	{ option_id: "skip", name: "Skip", kind: "reject_once" },
];
const choice = { tool: "other", title: "Delete the database?", input: {}, options: choices, choice: true };
const onlyAlways = options.filter(({ kind }) => kind === "allow_always");

function asking(): Permissions {
	return new Permissions("ask", () => {});
}

describe("Permissions", () => {
	it("never become permanent when they were given once", async () => {
		expect(await new Permissions("auto", () => {}).ask({ ...wanted, options: onlyAlways })).to.equal(undefined);
		const permissions = asking();
		void permissions.ask({ ...wanted, options: onlyAlways });
		const id = permissions.open[0]?.request_id ?? "";
		expect(() => permissions.answer(id, { behavior: "allow" })).to.throw("The agent offers no such permission");
		expect(permissions.answer(id, { behavior: "allowForever" }).option_id).to.equal("allow_always");
	});

	it("for ever are given once if the agent offers no more", async () => {
		const permissions = asking();
		const asked = permissions.ask({ ...wanted, options: options.filter(({ kind }) => kind === "allow_once") });
		permissions.answer(permissions.open[0]?.request_id ?? "", { behavior: "allowForever" });
		expect(await asked).to.equal("allow_once");
	});

	it("that are refused without an option for it are withdrawn", async () => {
		const permissions = asking();
		const asked = permissions.ask({ ...wanted, options: onlyAlways });
		const id = permissions.open[0]?.request_id ?? "";
		expect(permissions.answer(id, { behavior: "deny" })).to.deep.equal({ request_id: id, option_id: null });
		expect(await asked).to.equal(undefined);
	});

	for (const mode of ["auto", "ask"] as const) {
		it(`never choose for a person in the mode "${mode}"`, async () => {
			const permissions = new Permissions(mode, () => {});
			const asked = permissions.ask(choice);
			const [open] = permissions.open;
			const id = open?.request_id ?? "";
			expect(open).to.deep.include({ title: "Delete the database?", options: choices, choice: true });
			permissions.setMode("auto");
			const refusal =
				'The agent asks for a choice: name one of its options as `option_id`: "q0" (Yes, delete), "q1" (No, keep), "skip" (Skip)';
			for (const behavior of ["allow", "allowForever"] as const)
				expect(() => permissions.answer(id, { behavior })).to.throw(PermissionAnswerError, refusal);
			permissions.answer(id, { option_id: "q1" });
			expect(await asked).to.equal("q1");
		});
	}

	it("decline a choice that nobody makes in time in the mode `auto`, and tell so", async () => {
		const told: string[] = [];
		const permissions = new Permissions("auto", () => {}, 20);
		permissions.watch({ unanswered: (sentence) => told.push(sentence) });
		expect(await permissions.ask(choice)).to.equal("skip");
		expect(await permissions.ask({ ...choice, options: choices.slice(0, 2) })).to.equal(undefined);
		expect(told).to.deep.equal([
			'Nobody answered "Delete the database?" within 1 s: "Skip" was answered',
			'Nobody answered "Delete the database?" within 1 s: it was withdrawn',
		]);
	});

	it("wait for a choice without a limit in the mode `ask`, also after a change of the mode", async () => {
		const permissions = new Permissions("auto", () => {}, 20);
		const asked = permissions.ask(choice);
		permissions.setMode("ask");
		expect(await Promise.race([asked, sleep(60, "nobody")])).to.equal("nobody");
		permissions.setMode("auto");
		expect(await asked).to.equal("skip");
	});

	it("are bounded: the 33rd that waits is refused, and the others wait on", async () => {
		const permissions = asking();
		const waiting = Array.from({ length: 32 }, () => permissions.ask(wanted));
		expect(await permissions.ask(wanted)).to.equal(undefined);
		expect(permissions.open).to.have.length(32);
		permissions.cancel();
		expect(new Set(await Promise.all(waiting))).to.deep.equal(new Set([undefined]));
		expect(permissions.open).to.deep.equal([]);
	});

	it("that were withdrawn cannot be answered", () => {
		const permissions = asking();
		void permissions.ask(wanted);
		const id = permissions.open[0]?.request_id ?? "";
		permissions.cancel();
		expect(() => permissions.answer(id, { behavior: "allow" })).to.throw("The request is closed already");
	});
});

describe("readPermission()", () => {
	it("tells a choice from a permission: several ways to go on, or a tool that asks a person", () => {
		const button = [{ optionId: "send", name: "Send", kind: "allow_once" }];
		const offered = options.map(({ option_id: optionId, name, kind }) => ({ optionId, name, kind }));
		const kept = choices.map(({ option_id: optionId, name, kind }) => ({ optionId, name, kind }));
		const questions = [{ question: "Red or blue?", options: [{ label: "Red" }] }];
		expect(readPermission({}, kept).choice).to.equal(true);
		expect(readPermission({ rawInput: { questions } }, button).choice).to.equal(true);
		expect(readPermission({ rawInput: { questions: ["a"] } }, button).choice).to.equal(false);
		expect(readPermission({ rawInput: { command: "ls" } }, offered).choice).to.equal(false);
	});

	it("bounds everything the agent says, and keeps its beginning", () => {
		const many = Array.from({ length: 1_000 }, (_, n) => [`k${n}`, "x".repeat(10_000)]);
		const toolCall = { title: "t".repeat(9_999), kind: "edit", rawInput: Object.fromEntries(many) };
		const read = readPermission(
			toolCall,
			Array.from({ length: 99 }, (_, n) => ({ optionId: `${n}` })),
		);
		expect(JSON.stringify(read).length).to.be.below(24_576);
		expect(read.title).to.have.length(200);
		const small = readPermission({ rawInput: { text: "x".repeat(5_000) } }, null);
		expect(small).to.deep.include({ tool: "other", title: "a tool call", options: [] });
		expect(small.input["text"]).to.match(/^x{4000}… \(5000 characters\)$/);
	});
});
