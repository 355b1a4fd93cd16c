/** Every secret store passes the same suite. */
import { MemorySecrets } from "#services/settings/secret-stores/memory.ts";
import { describeSecretStore } from "./secret-store.contract.ts";

describeSecretStore("MemorySecrets", async () => new MemorySecrets());
