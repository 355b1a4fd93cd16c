/** A session in which everything is permitted does its work, reports it, and can be continued. */
import { expect } from "chai";
import type { Chronicle, Timeline } from "#shared/contracts/sessions/chronicles.ts";
import { patience } from "../../support/machine/patience.ts";
import { eventually } from "../../support/eventually.ts";
import { edit, say, shell } from "../../support/model-server/script.ts";
import { type AgentCheck, seconds } from "../agent-check.ts";
import { summary } from "../agent-stage.ts";

const command = "echo ran > ran.txt";
const seenMs = 15_000;

export const workChecks: readonly AgentCheck[] = [
	{
		row: "start → running",
		async run(stage) {
			const since = performance.now();
			await stage.trusted();
			return seconds(since);
		},
	},
	{
		row: "writes a file, runs a command, answers (`auto`)",
		async run(stage) {
			const session = await stage.trusted();
			const steps = [edit(session.file("made.txt"), "by the agent\n"), shell(command), say("All is done.")];
			const { content, parts, metadata } = await session.does("WRITE", steps);
			expect(metadata["stop_reason"], content).to.equal("end_turn");
			expect(content).to.include("All is done.");
			expect(session.contentOf("made.txt")).to.equal("by the agent");
			expect(session.contentOf("ran.txt")).to.equal("ran");
			expect(JSON.stringify(parts)).to.include('"status":"completed"').and.to.include("ran.txt");
			expect(session.talk.asked).to.deep.equal([]);
		},
	},
	{
		row: "both files are in the diff",
		async run(stage) {
			const { api, path } = await stage.trusted();
			const { body } = await api.get<{ files: { path: string }[] }>(`${path}/diff`);
			expect(body.files.map((file) => file.path)).to.have.members(["made.txt", "ran.txt"]);
		},
	},
	{
		row: "activity: active → tool_executing → idle",
		async run(stage) {
			const session = await stage.trusted();
			await eventually(() => session.activities().at(-1) === "idle", {
				withinMs: seenMs * patience(),
				what: "it is idle",
			});
			const seen = session.activities();
			const [began, executed] = [seen.indexOf("active"), seen.indexOf("tool_executing")];
			expect(began, String(seen)).to.be.at.least(0);
			expect(executed, String(seen)).to.be.above(began);
		},
	},
	{
		row: "timeline: file, the command's own text, message",
		async run(stage) {
			const { api, id } = await stage.trusted();
			let seen: Timeline["events"] = [];
			const isAll = async (): Promise<boolean> => {
				seen = (await api.get<Timeline>(`/chronicles/${id}/timeline`)).body.events;
				const has = (type: string, label: string): boolean =>
					seen.some((entry) => entry.type === type && entry.label.includes(label));
				return has("file", "made.txt") && has("terminal", command) && has("message", "");
			};
			await eventually(isAll, { withinMs: seenMs * patience(), what: "all is in the timeline" }).catch(
				(cause: unknown) => {
					throw new Error(`The timeline is ${JSON.stringify(seen)}`, { cause });
				},
			);
		},
	},
	{
		row: "the model's summary at the end",
		async run(stage) {
			const session = await stage.trusted();
			await session.stop();
			const { body } = await session.api.get<Chronicle>(`${session.path}/chronicle`);
			expect(body.summary).to.equal(summary);
		},
	},
	{
		row: "goes on after a stop, twice",
		async run(stage) {
			const session = await stage.trusted();
			for (const time of ["FIRST", "SECOND"]) {
				await session.stop();
				await session.start();
				const seen = stage.model.requests.length;
				const { content } = await session.does(time, [say("Here I am again.")]);
				expect(content).to.include("Here I am again.");
				const asked = stage.model.requests.slice(seen).find(({ tools }) => tools.length > 0);
				expect(JSON.stringify(asked?.items), "what the model is told").to.include("All is done.");
				const log = await session.log();
				expect(log).to.include("The coding agent is ready").and.not.include("cannot take up its conversation");
				if (stage.agent.loads) expect(log).to.include("goes on with its conversation");
			}
			return stage.agent.loads ? "+" : "summary";
		},
	},
];
