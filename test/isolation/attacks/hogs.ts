/** Commands that would use up a machine. They need sessions with limits of their own, in containers. */
import type { Attack } from "../attack.ts";
import { command } from "./commands.ts";

const forkBomb = "bomb() { bomb | bomb & }; while :; do bomb; sleep 0.1; done";
const allocates = "node -e 'const all = []; for (;;) all.push(Buffer.alloc(2e7, 1))'";

export const hogAttacks: readonly Attack[] = [
	{
		name: "fork-bomb",
		does: "processes that start processes",
		begin: command(`timeout 120 bash -c '${forkBomb}'`),
	},
	{
		name: "memory",
		does: "programs that allocate memory until they are ended",
		begin: command(`while :; do ${allocates}; done`),
	},
	{
		name: "files",
		does: "100,000 files, made and removed again and again",
		begin: command("while :; do mkdir many && cd many && seq 100000 | xargs touch; cd .. && rm -rf many; done"),
	},
	{
		name: "log",
		does: "programs that write into the log of their container without an end",
		begin: command("yes 'a line of output' > /proc/1/fd/1 & yes > /proc/1/fd/2"),
	},
	{
		name: "output",
		does: "commands that write without an end, for the chat",
		begin: command("true", ({ api }, id) => api.post(`/sessions/${id}/messages`, { content: "$ timeout 5 yes" })),
	},
	{
		name: "full-disk",
		does: "fills the workspace up to its limit and beyond",
		begin: command("n=0; while :; do n=$((n + 1)); head -c 500000000 /dev/zero > big$n; done"),
	},
];
