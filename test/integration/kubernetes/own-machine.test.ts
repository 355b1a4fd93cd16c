/**
 * The machine that a cluster of the tests runs on leaves nothing behind, however it ends.
 * Night: its program comes with those of a cluster, which take 5 to 15 minutes to build.
 */
import { expect } from "chai";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { eventually } from "../../support/eventually.ts";
import { ownMachine } from "../../support/kubernetes/cluster/own-machine.ts";
import { testProgram } from "../../support/machine/test-program.ts";

/** Takes a place in the machine's control group, and has a child. */
const command = `
	mkdir /sys/fs/cgroup/pids/$KUBERNETES_CLUSTER_GROUP/inner
	echo $$ >/sys/fs/cgroup/pids/$KUBERNETES_CLUSTER_GROUP/inner/tasks
	ip link add node0 type bridge
	mount -t tmpfs none "$KUBERNETES_CLUSTER_FOLDER" && touch "$KUBERNETES_CLUSTER_FOLDER/file"
	echo "$KUBERNETES_CLUSTER_FOLDER"
	sleep 1000 & wait`;

describe("a machine for a cluster", function () {
	this.timeout(60_000);

	it("is none outside of it", () => expect(ownMachine()).to.equal(undefined));

	for (const signal of ["SIGTERM", "SIGKILL"] as const)
		it(`leaves no process, mount, network, control group or folder after ${signal}`, async () => {
			const setting = readFileSync("/proc/sys/vm/overcommit_memory", "utf8");
			const machine = spawn(testProgram("kubernetes-cluster"), ["bash", "-c", command], { stdio: "pipe" });
			const folder = await firstLine(machine);
			expect(left(folder)).to.not.deep.equal([]);
			expect(readFileSync("/proc/sys/vm/overcommit_memory", "utf8")).to.equal(setting);
			const exit = once(machine, "exit");
			machine.kill(signal);
			await exit;
			await eventually(() => left(folder).length === 0, { withinMs: 15_000, what: "nothing is left" });
		});
});

async function firstLine({ stdout }: ChildProcess): Promise<string> {
	let text = "";
	for await (const chunk of stdout ?? []) {
		text += String(chunk);
		if (text.includes("\n")) break;
	}
	return text.trim();
}

/** Returns the control groups, the folder and the processes of a machine. */
function left(folder: string): string[] {
	// The name of the folder is that of the group with some characters more.
	const group = basename(folder).replace(/-[^-]+$/, "");
	const groups = globSync(`/sys/fs/cgroup/*/${group}`);
	const named = globSync("/proc/[0-9]*/environ").filter((file) => environmentOf(file).includes(folder));
	return [...groups, ...named, ...(existsSync(folder) ? [folder] : [])];
}

/** Returns nothing for a process that has ended. */
function environmentOf(file: string): string {
	try {
		return readFileSync(file, "latin1");
	} catch {
		return "";
	}
}
