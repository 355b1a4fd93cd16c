import { expect } from "chai";
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
});
