/** `npm run nats -- config` prints a configuration of nats-server with a user for each kind of process (docs/bus.md). */
import { natsConfig, readProcessKind } from "#shared/bus/nats/nats-config.ts";
import { readCommandLine, refuseCommandLine } from "#shared/config/command-line.ts";

const table = {
	usage: "npm run nats -- config <process>...",
	summary:
		"Prints a configuration of nats-server in which each kind of process has a user with the permissions that it needs.",
	operands: {
		help: {
			config: "the only command",
			"<process>": "the services of one kind of process, e.g. gateway+stream, or web=gateway+stream to name it",
		},
	},
	options: {},
} as const;

const [command, ...processes] = readCommandLine(table).positionals;
try {
	if (command !== "config" || processes.length === 0) throw new RangeError("It takes `config` and the processes");
	process.stdout.write(natsConfig(processes.map(readProcessKind)));
} catch (error) {
	if (!(error instanceof RangeError)) throw error;
	refuseCommandLine(table, error.message);
}
