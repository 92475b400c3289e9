import { Button, type MantineColorScheme, useMantineColorScheme } from "@mantine/core";
import IconDeviceDesktop from "@tabler/icons-react/icons/IconDeviceDesktop";
import IconMoon from "@tabler/icons-react/icons/IconMoon";
import IconSun from "@tabler/icons-react/icons/IconSun";

const SCHEMES = [
  { value: "light", name: "Light", icon: IconSun },
  { value: "dark", name: "Dark", icon: IconMoon },
  { value: "auto", name: "System", icon: IconDeviceDesktop },
] as const satisfies readonly { value: MantineColorScheme; name: string; icon: typeof IconSun }[];

/** The choice of the colours; this browser keeps it. A pause of the transitions would take a style element, which the policy forbids. */
export function ColorScheme() {
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  return (
    <div role="group" aria-label="Colours" className="color-scheme">
      {SCHEMES.map(({ value, name, icon: Picture }) => (
        <Button
          key={value}
          size="xs"
          variant="default"
          leftSection={<Picture size={14} aria-hidden />}
          aria-pressed={colorScheme === value}
          onClick={() => setColorScheme(value)}
        >
          {name}
        </Button>
      ))}
    </div>
  );
}
