/**
 * `npm run config` prints the configuration in force in the form of a configuration file, with secrets masked. `npm run
 * --silent config -- --markdown` prints the table of all keys in docs/configuration.md, `--metrics` that of all metrics in
 * docs/metrics.md, and `--installation` the id of the installation, which an engine's filter has to know.
 */
import { stringify } from "yaml";
import { configSchema } from "#shared/config/config-schema.ts";
import { configTable } from "#shared/config/config-table.ts";
import { readCommandLine } from "#shared/config/command-line.ts";
import { ConfigError, loadConfig } from "#shared/config/config.ts";
import { StartError } from "#shared/base/start-error.ts";
import { openInstallationKey } from "#shared/base/secrets/keys.ts";
import { environment } from "#shared/config/environment.ts";
import { similarVariables } from "#shared/config/mistakes/similar-variables.ts";
import { maskSecrets } from "#shared/config/mask-secrets.ts";
import { sharedMachineWarning } from "#shared/config/shared-machine.ts";
import { dataFolderWarning } from "#shared/config/data-folder.ts";
import { metricMarkdown } from "#shared/telemetry/metrics/metric-markdown.ts";

const { values } = readCommandLine({
	usage: "npm run config [-- --markdown | --metrics | --installation]",
	summary: "Prints the configuration in force as a configuration file would say it; secrets are masked.",
	options: {
		markdown: { type: "boolean", help: "prints the table of all keys in docs/configuration.md instead" },
		metrics: { type: "boolean", help: "prints the table of all metrics in docs/metrics.md instead" },
		installation: { type: "boolean", help: "prints the id of the installation instead, for npm run engine-filter" },
	},
});

function table(): string {
	return configTable(configSchema, { ...loadConfig({}), data_dir: "" });
}

function shown(): string {
	if (values.metrics) return metricMarkdown();
	if (values.markdown) return table();
	const config = loadConfig();
	if (values.installation) return `${openInstallationKey(config.data_dir, config.installation_key).installationId()}\n`;
	const similar = similarVariables(environment(), configSchema);
	for (const warning of [sharedMachineWarning(config), dataFolderWarning(config.data_dir), similar])
		if (warning !== undefined) console.error(warning);
	return stringify(maskSecrets(config));
}

try {
	process.stdout.write(shown());
} catch (error) {
	if (!(error instanceof ConfigError || error instanceof StartError)) throw error;
	console.error(error.message);
	process.exitCode = 1;
}
