import { expect } from "chai";
import { readPermission } from "#agent/coding-agents/acp/acp-permissions.ts";
import { Permissions } from "#agent/coding-agents/permissions.ts";

const options = ["allow_once", "allow_always", "reject_once"].map((kind) => ({ option_id: kind, name: kind, kind }));
const wanted = { tool: "edit", title: "Write a.txt", input: {}, options };
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
