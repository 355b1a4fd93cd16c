import { expect } from "chai";
import { LogBuffer } from "#shared/wire/pod/log/log-buffer.ts";

describe("LogBuffer", () => {
	it("keeps the newest 2,000 entries", () => {
		const log = new LogBuffer([]);
		for (let entry = 1; entry <= 2_100; entry++) log.add("INFO", "test", `entry ${entry}`);
		const { total, returned, lines } = log.tail(2_000);
		expect([total, returned, lines[0]?.message, lines.at(-1)?.message]).to.deep.equal([
			2_000,
			2_000,
			"entry 101",
			"entry 2100",
		]);
	});

	it("leaves out what is below the level, and takes an unknown level for DEBUG", () => {
		const log = new LogBuffer([]);
		for (const level of ["DEBUG", "INFO", "WARNING", "ERROR"] as const) log.add(level, "test", level);
		const messages = (level: string): string[] => log.tail(10, level).lines.map(({ message }) => message);
		expect(messages("warning")).to.deep.equal(["WARNING", "ERROR"]);
		expect(messages("nonsense")).to.have.length(4);
	});

	it("never keeps a secret, in whole or in a longer line", () => {
		const log = new LogBuffer(["canary-key", ""]);
		log.add("INFO", "test", "key=canary-key;");
		expect(log.tail().lines[0]?.message).to.equal("key=***;");
	});

	it("hides a secret that begins like another one, in any order", () => {
		const secrets = ["canary-one", "canary-one-and-its-rest", "its-rest-alone"];
		for (const order of [secrets, secrets.toReversed()])
			for (const secret of secrets) expect(new LogBuffer(order).withoutSecrets(`<${secret}>`)).to.equal("<***>");
	});

	it("hides the part of a secret that a cut has left", () => {
		const secret = "canary-of-many-letters";
		const log = new LogBuffer([secret, "aaaaaaaaaaaaaaaa"]);
		for (let length = 8; length < secret.length; length++) {
			expect(log.withoutSecrets(`the token ${secret.slice(0, length)}`)).to.equal("the token ***");
			expect(log.withoutSecrets(`${secret.slice(-length)} was wrong`)).to.equal("*** was wrong");
		}
		expect(log.withoutSecrets(`x${"a".repeat(12)}`)).to.equal("x***");
		expect(log.withoutSecrets(`${"a".repeat(12)}x`)).to.equal("***x");
		for (const other of ["canary-", "canary-of-few letters", "letters", ""])
			expect(log.withoutSecrets(other)).to.equal(other);
	});

	it("answers with as many of the newest entries as an answer has room for", () => {
		const log = new LogBuffer([]);
		for (let entry = 0; entry < 300; entry++) log.add("INFO", "test", `${entry} ${"\u0001".repeat(9_000)}`);
		const answer = log.tail(300);
		expect(JSON.stringify(answer).length).to.be.within(700 * 1024, 900 * 1024);
		expect(answer.lines.at(-1)?.message).to.match(/^299 /);
		expect(answer.returned).to.equal(answer.lines.length);
	});

	it("returns the entries after a number, as far as they are stored", () => {
		const log = new LogBuffer([]);
		for (let index = 0; index < 2_005; index++) log.add("INFO", "test", `${index}`);
		expect(log.added).to.equal(2_005);
		expect(log.after(2_003).map(({ message }) => message)).to.deep.equal(["2003", "2004"]);
		expect(log.after(2_005)).to.deep.equal([]);
		expect(log.after(0)).to.have.length(2_000);
	});
});
