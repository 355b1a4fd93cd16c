/** Writes the table of a run into docs/evidence/isolation.md. */
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { isoTime } from "#shared/base/clock.ts";
import { projectRoot } from "#shared/base/project-root.ts";
import type { IsolationReport } from "./isolation-run.ts";
import { legend, table } from "./table.ts";

const page = join(projectRoot, "docs/evidence/isolation.md");

/** @param name The name of the table in the page. */
export function keepRecord(reports: readonly IsolationReport[], seconds: number, name: "table" | "containers"): void {
	const marked =
		name === "table"
			? /(<!-- table -->\n)[^]*(<!-- \/table -->)/
			: /(<!-- containers -->\n)[^]*(<!-- \/containers -->)/;
	const when = `${isoTime().slice(0, 10)}, ${cpus().length} processors, ${seconds} s an attack. ${legend}`;
	const text = `$1\n${when}\n\n${table(reports).replaceAll("$", "$$$$")}\n\n$2`;
	writeFileSync(page, readFileSync(page, "utf8").replace(marked, text));
}
