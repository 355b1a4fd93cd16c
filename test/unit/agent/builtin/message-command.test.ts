import { expect } from "chai";
import fc from "fast-check";
import { commandIn } from "#agent/builtin/message-command.ts";

describe("commandIn()", () => {
	const commands: [message: string, command: string | undefined][] = [
		["$ ls -l", "ls -l"],
		["  $   ls\n", "ls"],
		["$\nls", "ls"],
		["$ cat <<E\na\nE", "cat <<E\na\nE"],
		["! ls", "ls"],
		["!ls", "ls"],
		["```sh\nls\npwd\n```", "ls\npwd"],
		["Please run\n```bash\nls\n```\nand then\n~~~shell\npwd\n~~~\nThanks", "ls\npwd"],
		["```sh\r\nls\r\n```", "ls"],
		["````sh\necho '```'\n````", "echo '```'"],
		["$HOME is where?", undefined],
		["$", undefined],
		["!", undefined],
		["", undefined],
		["fix the login", undefined],
		["```js\nrm()\n```", undefined],
		["```\nls\n```", undefined],
		["```sh\n```", undefined],
		["It costs $ 5", undefined],
	];
	for (const [message, command] of commands) {
		it(`finds ${JSON.stringify(command)} in ${JSON.stringify(message)}`, () =>
			expect(commandIn(message)).to.equal(command));
	}

	it("finds the lines of a block unchanged, at any place", () => {
		const line = fc.string().map((text) => `x${text.replaceAll(/[\n\r]/g, "")}`.trimEnd());
		const lines = fc.array(line, { minLength: 1 });
		fc.assert(
			fc.property(lines, lines, fc.constantFrom("```", "````", "~~~"), (prose, block, mark) => {
				const message = [...prose, `${mark}sh`, ...block, mark, ...prose].join("\n");
				expect(commandIn(message)).to.equal(block.join("\n"));
			}),
		);
	});

	it("takes linear time for a message of nothing but openings", () => {
		const start = process.cpuUsage();
		expect(commandIn(`x${"```sh\n".repeat(66_000)}`)).to.equal(undefined);
		expect(commandIn(`x\n${"```sh\n".repeat(66_000)}`)).to.equal(undefined);
		expect(process.cpuUsage(start).user / 1_000).to.be.below(1_000);
	});
});
