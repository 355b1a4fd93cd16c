import { spawn } from "node:child_process";
import { once } from "node:events";
import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { markedProcesses, sweepProcesses } from "#agent/io/process-sweep.ts";
import { eventually } from "../../../support/eventually.ts";

describe("sweepProcesses()", () => {
	it("kills every process with the whole marker, and no other", async () => {
		const marker = { ATELIER_SESSION: randomUUID(), ATELIER_GENERATION: "1" };
		const env = (generation: string): Record<string, string> => ({
			...marker,
			ATELIER_GENERATION: generation,
			PATH: process.env["PATH"] ?? "",
		});
		const family = spawn("sh", ["-c", "trap '' TERM; sleep 60 & setsid sleep 60 & wait"], {
			env: env("1"),
			stdio: "ignore",
		});
		const other = spawn("sleep", ["60"], { env: env("11"), stdio: "ignore" });
		try {
			const gone = once(family, "exit");
			await once(other, "spawn");
			await eventually(() => markedProcesses(marker).length === 3, { what: "the shell and both of its programs run" });
			await sweepProcesses(marker);
			await gone;
			expect(markedProcesses(marker)).to.deep.equal([]);
			expect(other.exitCode ?? other.signalCode).to.equal(null);
		} finally {
			other.kill("SIGKILL");
			await sweepProcesses(marker);
		}
	});
});
