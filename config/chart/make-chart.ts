/** `npm run chart` writes the Helm chart in k8s/chart from the overlay for production. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import { readCommandLine } from "#shared/config/command-line.ts";
import { chartFiles } from "./chart-files.ts";

readCommandLine({
	usage: "npm run chart",
	summary: "Writes the Helm chart in k8s/chart from the overlay for production (docs/kubernetes.md).",
	operands: { help: {}, most: 0 },
	options: {},
});

const folder = join(projectRoot, "k8s/chart");
const files = chartFiles();
rmSync(folder, { recursive: true, force: true });
for (const [path, text] of files) {
	mkdirSync(dirname(join(folder, path)), { recursive: true });
	writeFileSync(join(folder, path), text);
}
