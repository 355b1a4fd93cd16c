/** Forty sessions at once come up, stop and go, and leave the machine as it was. */
import { expect } from "chai";
import type { ApiClient } from "../support/api-client.ts";
import { eventually } from "../support/eventually.ts";
import { type MachineState } from "../support/machine-state.ts";
import { createSession, type SessionView } from "../support/session-steps.ts";
import { startPlatform } from "../support/start-platform.ts";

const count = 40;

describe(`${count} sessions at once`, function () {
	this.timeout(180_000);

	it("run, stop, go with all they had: processes, ports and files are what they were", async () => {
		await using platform = await startPlatform();
		const api = platform.client();
		const before = platform.machineState();
		print("before", before);

		const created = await Promise.all(Array.from({ length: count }, (_, n) => createSession(api, "", `session-${n}`)));
		const ids = created.map(({ id }) => id);
		await allAre(api, "running");
		const running = platform.machineState();
		print("running", running);
		expect(running.ports).to.have.length(count);
		expect(platform.agents().map(({ session }) => session)).to.have.members(ids);

		await Promise.all(ids.map((id) => api.post(`/sessions/${id}/stop`)));
		await allAre(api, "stopped");
		const stopped = platform.machineState();
		print("stopped", stopped);
		expect([stopped.processes, stopped.ports]).to.deep.equal([[], []]);

		const cleanup = { body: { cleanup: ["workspace_storage"] } };
		const answers = await Promise.all(ids.map((id) => api.delete(`/sessions/${id}`, cleanup)));
		expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([204]));
		const after = await eventually(
			() => {
				const state = platform.machineState();
				return state.files.length <= before.files.length + foldersMade.length && state;
			},
			{ withinMs: 30_000, everyMs: 100, what: "the workspaces are gone" },
		);
		print("after", after);
		expect(after).to.deep.equal({ ...before, files: [...new Set([...before.files, ...foldersMade])].toSorted() });
	});
});

/** Folders that stay once there has been a session. */
const foldersMade = ["run", "run/.trash", "sessions", "sessions/.trash"];

async function allAre(api: ApiClient, status: string): Promise<void> {
	const list = async () => (await api.get<SessionView[]>("/sessions")).body;
	await eventually(async () => (await list()).filter((session) => session.status === status).length === count, {
		withinMs: 90_000,
		everyMs: 200,
		what: `all are ${status}`,
	});
}

function print(when: string, { processes, ports, files }: MachineState): void {
	console.log(`      ${when}: ${processes.length} processes, ${ports.length} ports, files ${shortened(files)}`);
}

function shortened(files: readonly string[]): string {
	return files.length > 10 ? String(files.length) : `[${files.join(", ")}]`;
}
