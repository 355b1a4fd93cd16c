/**
 * Runs a test file on a machine for a cluster, whose network, mounts and processes are its own and end with it: nothing of the cluster
 * is reached from outside, and it reaches nothing outside. Needs: kubernetes-cluster.
 */
import { expect } from "chai";
import { relative } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import { MochaProcess } from "../../../mocha-process.ts";
import { testProgram } from "../../machine/test-program.ts";

/** The places that the program of the machine gives to those that it runs. */
export interface OwnMachine {
	/** A folder that is removed with the machine. */
	readonly folder: string;
	/** The name of a control group in each hierarchy, which is removed with the machine. */
	readonly group: string;
}

/** Returns the machine that this process runs on; undefined outside of one. */
export function ownMachine(): OwnMachine | undefined {
	const { KUBERNETES_CLUSTER_FOLDER: folder, KUBERNETES_CLUSTER_GROUP: group } = process.env;
	return folder === undefined || group === undefined ? undefined : { folder, group };
}

/**
 * Declares the tests of a file, which run in a second mocha process on a machine of its own.
 * @param file The path of the file. @param withinMs The longest time of all of them.
 */
export function onOwnMachine(file: string, withinMs: number, declare: () => void): void {
	if (ownMachine()) {
		declare();
		return;
	}
	const name = relative(projectRoot, file);
	describe("A machine with a cluster", function () {
		this.timeout(withinMs);

		it(`passes ${name}`, async () => {
			const mocha = new MochaProcess([name], [], [testProgram("kubernetes-cluster")]);
			const { passing, failing, pending } = await mocha.ended();
			console.log(mocha.output.trimEnd());
			expect({ failing, pending }, mocha.ending).to.deep.equal({ failing: 0, pending: 0 });
			expect(passing).to.be.above(0);
		});
	});
}
