/** Every injection of secrets passes the same suite. */
import { MemoryCredentials } from "#services/credentials/credential-stores/memory.ts";
import { FileInjection } from "#services/credentials/secret-injections/file.ts";
import { NoInjection } from "#services/credentials/secret-injections/none.ts";
import { describeSecretInjection } from "./secret-injection.contract.ts";

describeSecretInjection(
	"FileInjection",
	() => new FileInjection({ store: new MemoryCredentials(), protocols: ["https"] }),
);
describeSecretInjection("NoInjection", () => new NoInjection());
